/** What a supervisor tells a process, over its IPC channel, that it has held back since `START_HELD=1`. */
export const BEGIN = 'begin';

/**
 * Resolves when this process may begin: at once, unless its supervisor holds it back. A process is started before what it needs
 * runs, so that it loads its code meanwhile; then it is told to begin.
 */
export function untilToldToStart(): Promise<void> {
  if (process.env['START_HELD'] !== '1') return Promise.resolve();
  return new Promise((resolve) => {
    // Node keeps what was sent before anybody listened.
    const heed = (message: unknown): void => {
      if (message !== BEGIN) return;
      process.off('message', heed);
      resolve();
    };
    process.on('message', heed);
  });
}
