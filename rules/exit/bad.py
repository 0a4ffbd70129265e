def f():
    os._exit(0)  # match
    sys.exit(1)  # match
    exit()  # match
    raise SystemExit  # match
    raise Exception("stop")  # match
    os.kill(os.getpid(), 9)  # match
