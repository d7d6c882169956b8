"""The paper's study: its tasks, regions and methods, under its own protocol and under a strong one."""
