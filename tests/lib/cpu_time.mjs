// How long this process has computed: other than a clock, it does not go on while a busy machine lets the process wait.

/** Returns a function that gives the milliseconds of computing since this call, of all threads of the process. */
export function startComputing() {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
