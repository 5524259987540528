import { rm } from 'node:fs/promises';

/** Stops the server that global-setup.ts started, if it did, and removes its files. */
export default async function stopSharedPostgres(): Promise<void> {
  const shared = globalThis.sharedPostgres;
  if (!shared) return;
  await shared.server.stop(20_000);
  await rm(shared.folder, { recursive: true, force: true });
}

declare global {
  var sharedPostgres: { folder: string; server: { stop(graceMillis: number): Promise<unknown> } } | undefined;
}
