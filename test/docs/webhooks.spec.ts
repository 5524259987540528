import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { signatureOf, signingTimestamp } from '../../libs/webhooks/delivery/signature.js';

type IsGenuine = (secret: string, headers: Record<string, string>, body: string, now: number) => boolean;

it('tells a delivery of ours from any other by the code in docs/webhooks.md', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
  const code = /```js verify-webhook\n([\s\S]*?)```/.exec(text)![1]!;
  const folder = await mkdtemp(join(tmpdir(), 'countinghouse-docs-'));
  try {
    await writeFile(join(folder, 'verify.mjs'), code);
    const { isGenuine } = (await import(join(folder, 'verify.mjs'))) as { isGenuine: IsGenuine };
    const [secret, body, sent] = ['whsec_abc', '{"total":0.10}', '2026-02-01T00:00:00.123Z'];
    const timestamp = signingTimestamp(sent);
    const headers = {
      'x-service-timestamp': timestamp,
      'x-service-signature': signatureOf(secret, timestamp, body),
    };
    const now = Date.parse(sent) + 60_000;
    expect(isGenuine(secret, headers, body, now)).toBe(true);
    expect(isGenuine(secret, headers, '{"total":0.1}', now)).toBe(false);
    expect(isGenuine('whsec_abd', headers, body, now)).toBe(false);
    expect(isGenuine(secret, { ...headers, 'x-service-timestamp': '2026-02-01T00:00:01Z' }, body, now)).toBe(
      false,
    );
    expect(isGenuine(secret, headers, body, now + 600_000)).toBe(false);
    expect(isGenuine(secret, {}, body, now)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
