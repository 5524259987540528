// A process of ours that cannot start, and hangs as it exits.
import { runProcess } from '#libs/kernel/runtime';

process.once('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
await runProcess('lamp', async () => {
  throw new Error('it has no oil');
});
