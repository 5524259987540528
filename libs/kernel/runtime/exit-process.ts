/** The message that a process sends to its parent over the IPC channel right before it exits. */
export const EXITING_MESSAGE = 'exiting';

/**
 * Ends this process with an exit code. Before the exit, the process notifies its parent process, which kills a process that hangs after
 * this message. Node can hang on exit, because the main thread waits for a compiler thread that waits for garbage collection on the main
 * thread (https://github.com/nodejs/node/issues/54918). A process that hangs on exit keeps its connections and its locks. If the parent
 * process has ended, nobody would kill a hanging process or read its exit code, so the process kills itself.
 */
export function exitProcess(code: number): never {
  // The message is written before this returns.
  if (process.connected) process.send?.(EXITING_MESSAGE);
  // `process.connected` is undefined in a process that was started without a channel.
  if (process.connected === false) process.kill(process.pid, 'SIGKILL');
  process.exit(code);
}
