def f(self, env):
    self.environment = env
    return env.get("DEBUG"), os.path.join("a")
