import { describe, expect, it } from '@jest/globals';
import { showInstance, type MakeDemo } from './start-screen.js';

const instance = {
  publicUrl: 'http://127.0.0.1:3000',
  opsUrls: [
    ['saga', 'http://127.0.0.1:3005'],
    ['api', 'http://127.0.0.1:3006'],
  ] as const,
  folder: { path: '/srv/data' },
};
const ADDRESS = ['', 'API            http://127.0.0.1:3000'];
const PLACES = [
  'Docs           http://127.0.0.1:3000/docs',
  'Metrics        saga http://127.0.0.1:3005/metrics\n               api http://127.0.0.1:3006/metrics',
  'Logs           /srv/data/logs',
  '',
];

async function shown(makeDemo?: MakeDemo, stop = new AbortController()) {
  const lines: string[] = [];
  const printLine = (text = ''): void => void lines.push(text);
  await showInstance(
    { printLine },
    { ...instance, opsUrls: [...instance.opsUrls] },
    makeDemo && spy,
    stop.signal,
  );
  return lines;

  function spy(...told: Parameters<MakeDemo>): ReturnType<MakeDemo> {
    // The demo is only created when the address is on the screen.
    expect(lines).toEqual(ADDRESS);
    return makeDemo!(...told);
  }
}

describe('the screen of a started instance', () => {
  it('shows the address first, then the credentials, the other URLs, and the demo when it is ready', async () => {
    const lines = await shown(async (signedUp, said) => {
      signedUp({ apiKey: 'key', workspaceId: 'acc_1' });
      said('billing the month …');
      return ['Paid invoice   http://127.0.0.1:3000/i/1'];
    });
    expect(lines).toEqual([
      ...ADDRESS,
      'API key        key',
      'Workspace      acc_1',
      ...PLACES,
      'Demo: billing the month …',
      'Paid invoice   http://127.0.0.1:3000/i/1',
      '',
      'Stop with Ctrl-C.',
    ]);
  });

  it('shows no workspace if an earlier version did not store it, and no key without a demo', async () => {
    const found = await shown(async (signedUp) => {
      signedUp({ apiKey: 'key' });
      return [];
    });
    expect(found).toEqual([...ADDRESS, 'API key        key', ...PLACES, '', 'Stop with Ctrl-C.']);
    expect(await shown()).toEqual([...ADDRESS, ...PLACES, 'Stop with Ctrl-C.']);
  });

  it('says why a demo could not be made, and continues', async () => {
    const lines = await shown(() => Promise.reject(new Error('no room')));
    expect(lines).toEqual([
      ...ADDRESS,
      ...PLACES,
      'The demo could not be made (no room); the next start tries again',
      '',
      'Stop with Ctrl-C.',
    ]);
  });

  it('says who can sign in to a restored instance', async () => {
    const lines: string[] = [];
    const printLine = (text = ''): void => void lines.push(text);
    const restored = { ...instance, opsUrls: [...instance.opsUrls], isRestored: true };
    await showInstance({ printLine }, restored, undefined, new AbortController().signal);
    expect(lines).toEqual([
      ...ADDRESS,
      'Restored       Users sign in as before, and the API keys of the backup work',
      ...PLACES,
      'Stop with Ctrl-C.',
    ]);
  });

  it('shows nothing more when it is told to stop', async () => {
    const stop = new AbortController();
    const lines = await shown(async (signedUp) => {
      stop.abort();
      signedUp({ apiKey: 'key' });
      return ['Paid invoice'];
    }, stop);
    expect(lines).toEqual(ADDRESS);
  });
});
