/**
 * Calls `gone` when the process that started us, with an IPC channel, has ended in any way. This works even if the parent ended before
 * anybody listened. Loading an application takes a second or two, and Node reports the end only once.
 */
export function onParentExit(gone: () => void): void {
  process.once('disconnect', gone);
  // In a process that was started without a channel it is undefined, not false.
  if (process.connected === false) gone();
}
