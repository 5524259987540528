import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { findFreePort } from '#apps/cli';

/** An OpenID Connect provider in a process of its own. Its client is `countinghouse`, with the secret `secret of the client`. */
export class IdentityProvider {
  private constructor(
    private readonly child: ChildProcess,
    readonly issuer: string,
  ) {}

  /** Starts a provider that sends users back to this redirect URI. */
  static async start(redirectUri: string): Promise<IdentityProvider> {
    const port = await findFreePort();
    const program = new URL('./programs/identity-provider.mjs', import.meta.url).pathname;
    const child = spawn(process.execPath, [program, String(port), redirectUri], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break;
    return new IdentityProvider(child, `http://localhost:${port}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
