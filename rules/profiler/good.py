import timezone
from profiles import load


@staticmethod
def f(self):
    self.profile_run()
    return self.time, timedelta(1)
