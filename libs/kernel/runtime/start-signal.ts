/** The message with which a supervisor starts a process that was launched with `START_HELD=1`. */
export const BEGIN_MESSAGE = 'begin';

/**
 * Resolves when this process may begin. That is at once, unless its supervisor holds it back. A supervisor launches a process before the
 * services that it needs, so that the process loads its code meanwhile. Then it tells the process to begin.
 */
export function waitForStartSignal(): Promise<void> {
  if (process.env['START_HELD'] !== '1') return Promise.resolve();
  return new Promise((resolve) => {
    // Node keeps messages that were sent before this listener was added.
    const heed = (message: unknown): void => {
      if (message !== BEGIN_MESSAGE) return;
      process.off('message', heed);
      resolve();
    };
    process.on('message', heed);
  });
}
