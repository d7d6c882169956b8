"""Tables of well-known R packages as files for `pauci study tabular`: none was looked at when the estimators were made.

    python benchmarks/further_tables.py Rdatasets/csv tables
    pauci study tabular tables --store further --jobs 2

The first folder is that of a collection with one file per package and table (``ISLR/Caravan.csv``). Columns that
identify a row, or are known only after the outcome, are left out.
"""

import csv
import sys
from pathlib import Path

#: Name to file, column with the labels, value of the positive class, and columns left out.
TABLES = {
    # On these, penalties and scales of linear scorers were mended.
    "attrition": ("modeldata/attrition", "Attrition", "Yes", ()),
    "caravan": ("ISLR/Caravan", "Purchase", "Yes", ()),
    "credit_data": ("modeldata/credit_data", "Status", "bad", ()),
    "default": ("ISLR/Default", "default", "Yes", ()),
    "email": ("openintro/email", "spam", "1", ("time",)),
    "lending_club": ("modeldata/lending_club", "Class", "bad", ()),
    "mlc_churn": ("modeldata/mlc_churn", "churn", "yes", ()),
    "nass_cds": ("DAAG/nassCDS", "dead", "dead", ("injSeverity", "caseid")),
    # These were looked at once, afterwards.
    "covid_testing": (
        "medicaldata/covid_testing",
        "result",
        "positive",
        (
            *("subject_id", "fake_first_name", "fake_last_name"),
            *("ct_result", "orderset", "col_rec_tat", "rec_ver_tat", "pan_day"),
        ),
    ),
    "hmda": ("AER/HMDA", "deny", "yes", ()),
    "nafld": ("survival/nafld1", "status", "1", ("id", "case.id", "futime")),
    "resume": ("openintro/resume", "received_callback", "1", ("job_ad_id", "firstname", "job_req_min_experience")),
    "stackoverflow": ("modeldata/stackoverflow", "Remote", "Remote", ()),
    "wa_churn": ("modeldata/wa_churn", "churn", "Yes", ()),
}

#: Labels of rows that belong to neither class.
NEITHER = {"covid_testing": {"invalid"}}


def main(source, target):
    target.mkdir(parents=True, exist_ok=True)
    for name, (file, label, positive, dropped) in TABLES.items():
        with (source / f"{file}.csv").open(newline="", encoding="utf-8") as stream:
            rows = [row for row in csv.DictReader(stream) if row[label] not in NEITHER.get(name, ())]
        columns = [column for column in rows[0] if column not in {"", "rownames", label, *dropped}]
        with (target / f"{name}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["y", *columns])
            writer.writerows([int(row[label] == positive), *(row[column] for column in columns)] for row in rows)
        found = sum(row[label] == positive for row in rows)
        print(f"{name}: {len(rows):,} rows, {len(columns)} columns, {found:,} positive")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
