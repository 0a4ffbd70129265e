"""Prints "PASSED FAILED SKIPPED" of a JUnit file as pytest writes it."""

import sys
import xml.etree.ElementTree

suites = xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testsuite")
tests = failed = skipped = 0
for suite in suites:
    tests += int(suite.get("tests"))
    failed += int(suite.get("failures")) + int(suite.get("errors"))
    skipped += int(suite.get("skipped"))
print(tests - failed - skipped, failed, skipped)
