import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Starts a program of this folder that prints its port, and ends when we let go of it. */
export async function startServer(file, ...args) {
  const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [port] = await once(child.stdout, 'data');
  return { port: Number(port), stop: () => child.disconnect() };
}
