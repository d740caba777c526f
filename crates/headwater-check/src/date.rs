//! Calendar dates. The day of a run is one of these and is handed in; nothing here reads a clock.

use std::fmt;

/// A day of the proleptic Gregorian calendar, years 0000 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`, with or without blanks around it; none for anything else and for a day that no
    /// calendar has.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shaped {
            return None;
        }
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let month = u8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
        let day = u8::try_from(day).ok().filter(|day| (1..=days_in(year, month)).contains(day))?;
        Some(Self { year, month, day })
    }

    /// The day that lies so many days after 1970-01-01; none past year 9999.
    #[must_use]
    pub fn from_unix_days(days: u64) -> Option<Self> {
        let (mut year, mut rest) = (1970, days);
        loop {
            let length = if leap(year) { 366 } else { 365 };
            if rest < length {
                break;
            }
            rest -= length;
            year = if year < 9999 { year + 1 } else { return None };
        }
        let mut month = 1;
        while rest >= u64::from(days_in(year, month)) {
            rest -= u64::from(days_in(year, month));
            month += 1;
        }
        Some(Self { year, month, day: u8::try_from(rest).ok()? + 1 })
    }

    /// How many days lie between `earlier` and this day; negative when `earlier` is later.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> i64 {
        self.number() - earlier.number()
    }

    /// Days since the first day of year 0.
    fn number(self) -> i64 {
        let years = i64::from(self.year);
        let before = years - 1;
        // Year 0 is a leap year, and `before` is -1 for it.
        let leaps = if self.year == 0 { 0 } else { before / 4 - before / 100 + before / 400 + 1 };
        let months: i64 = (1..self.month).map(|month| i64::from(days_in(self.year, month))).sum();
        years * 365 + leaps + months + i64::from(self.day) - 1
    }
}

const fn leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn days_in(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        for good in ["2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"] {
            assert_eq!(Date::parse(good).unwrap().to_string(), good);
        }
        assert_eq!(Date::parse(" 2024-02-29\n"), Date::parse("2024-02-29"));
        for bad in [
            "2023-02-29",
            "1900-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "",
            "+026-01-01",
            "２０２６-01-01",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn days_are_counted_one_by_one() {
        let mut before = Date::from_unix_days(0).unwrap();
        assert_eq!(before.to_string(), "1970-01-01");
        for days in 1..60_000 {
            let day = Date::from_unix_days(days).unwrap();
            assert_eq!(day.days_since(before), 1, "{day}");
            assert_eq!(Date::parse(&day.to_string()), Some(day));
            before = day;
        }
        let first = Date::parse("0000-01-01").unwrap();
        assert_eq!(Date::parse("0001-01-01").unwrap().days_since(first), 366);
        assert_eq!(Date::from_unix_days(u64::MAX), None);
    }
}
