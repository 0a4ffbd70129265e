"""The crash tests live in the same private world as the integration tests."""

import importlib.util
import sys
from pathlib import Path

INTEGRATION = Path(__file__).resolve().parents[1] / "integration"
_spec = importlib.util.spec_from_file_location("integration_conftest", INTEGRATION / "conftest.py")
_module = importlib.util.module_from_spec(_spec)
sys.modules["integration_conftest"] = _module
_spec.loader.exec_module(_module)
pytest_configure = _module.pytest_configure
