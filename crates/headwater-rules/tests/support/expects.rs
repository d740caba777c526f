//! What a case expects beside its findings, as lines before its first block.

use headwater_check::Run;

/// Of a run a case states what matters to it.
#[derive(Debug, Default)]
pub struct Expects {
    /// `Says: a | b`: what messages, remedies or notes of rules hold.
    says: Vec<String>,
    /// `Skips: a | b`: what reasons for skipping hold.
    skips: Vec<String>,
    /// `Fixable: rule path:line | …`: the findings with a patch, sorted; `none` for no such finding.
    fixable: Option<Vec<String>>,
    /// `Columns: rule 1, 2`: the columns of the findings of a rule.
    columns: Option<String>,
    /// `Instances: rule 0`: how many instances a rule has.
    instances: Option<String>,
}

impl Expects {
    pub fn read(line: impl Fn(&str) -> Option<String>) -> Self {
        let list = |name: &str| {
            let line = line(name)?;
            let items = line.split(" | ").filter(|item| *item != "none");
            Some(items.map(str::to_owned).collect::<Vec<_>>())
        };
        Self {
            says: list("Says:").unwrap_or_default(),
            skips: list("Skips:").unwrap_or_default(),
            fixable: list("Fixable:"),
            columns: line("Columns:"),
            instances: line("Instances:"),
        }
    }

    /// What of it a run does not do.
    pub fn unmet(&self, run: &Run) -> Vec<String> {
        let mut unmet = Vec::new();
        let said: Vec<&str> = run
            .findings
            .iter()
            .flat_map(|finding| [&finding.defect.message, &finding.defect.remedy])
            .chain(run.rules.iter().flat_map(|account| &account.notes))
            .map(String::as_str)
            .collect();
        for words in self.says.iter().filter(|words| !said.iter().any(|text| text.contains(*words)))
        {
            unmet.push(format!("nothing says {words}"));
        }
        let reasons: Vec<&str> =
            run.coverage.skips.iter().map(|skip| skip.reason.as_ref()).collect();
        for words in
            self.skips.iter().filter(|words| !reasons.iter().any(|text| text.contains(*words)))
        {
            unmet.push(format!("nothing is skipped for {words}: {reasons:?}"));
        }
        if let Some(expected) = &self.fixable {
            let fixable = run.findings.iter().filter(|finding| finding.is_fixable());
            let mut fixable: Vec<String> = fixable
                .map(|it| format!("{} {}:{}", it.rule, it.defect.place.path, it.defect.place.line))
                .collect();
            fixable.sort();
            if fixable != *expected {
                unmet.push(format!("fixable is {fixable:?}"));
            }
        }
        if let Some(expected) = &self.columns {
            let rule = expected.split(' ').next().unwrap();
            let of_rule = run.findings.iter().filter(|finding| finding.rule == rule);
            let columns = of_rule.map(|finding| finding.defect.place.column.to_string());
            let columns = format!("{rule} {}", columns.collect::<Vec<_>>().join(", "));
            if columns != *expected {
                unmet.push(format!("the columns are {columns}"));
            }
        }
        if let Some(expected) = &self.instances {
            let rule = expected.split(' ').next().unwrap();
            let account = run.rules.iter().find(|account| account.rule == rule).unwrap();
            let instances = format!("{rule} {}", account.instances);
            if instances != *expected {
                unmet.push(format!("the instances are {instances}"));
            }
        }
        unmet
    }
}
