import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, requireSecrets, requireSetting, SettingsError, withoutFilesOf } from './settings.js';

const messageOf = (env: Record<string, string>): string => {
  try {
    loadSettings(env);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return '';
};

describe('settings', () => {
  it('have their defaults, also where they are given as nothing', () => {
    expect(loadSettings({ PORT: '' })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      webhookAllowLoopback: false,
    });
    expect(loadSettings({}).databaseUrl).toBeUndefined();
  });

  it('are read into their types', () => {
    const settings = loadSettings({
      PORT: '0',
      DATABASE_URL: 'postgres://db:5432/x',
      PUBLIC_URL: 'https://billing.example/',
      WEBHOOK_ALLOW_LOOPBACK: '1',
    });
    expect(settings).toMatchObject({
      port: 0,
      databaseUrl: 'postgres://db:5432/x',
      publicUrl: 'https://billing.example',
      webhookAllowLoopback: true,
    });
  });

  it.each([
    ['false', false],
    ['loopback, 10.0.0.0/8,::1,fd00::/8', ['loopback', '10.0.0.0/8', '::1', 'fd00::/8']],
  ])('take %s for the proxies to trust', (text, proxies) =>
    expect(loadSettings({ TRUST_PROXY: text }).trustProxy).toEqual(proxies),
  );

  // If all proxies were trusted, every client could choose the address under which it is counted.
  it.each(['true', '1', '10.0.0.0/33', 'proxy.example', '10.0.0.1/8/8', ','])(
    'do not take %s for the proxies to trust',
    (text) =>
      expect(messageOf({ TRUST_PROXY: text })).toBe(
        `Wrong setting: TRUST_PROXY is "${text}" but must be false, or IP addresses, networks such as 10.0.0.0/8, loopback, linklocal, uniquelocal, with commas between`,
      ),
  );

  it('are refused all together, on one line, with what each must be; a secret is not shown', () => {
    const message = messageOf({
      PORT: '70000',
      LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://user:hunter2@db/x',
      JWT_SECRET: 'short',
    });
    expect(message).toBe(
      'Wrong setting: PORT is "70000" but must be a whole number from 0 to 65535; ' +
        'DATABASE_URL must be a URL that begins with postgres:// or postgresql://; ' +
        'JWT_SECRET must be at least 32 characters; ' +
        'LOG_LEVEL is "loud" but must be one of fatal, error, warn, info, debug, trace, silent',
    );
  });

  it('take several NATS servers, each with a URL that is one', () => {
    const servers = 'nats://billing:hunter2@one:4222,tls://two:4222';
    expect(loadSettings({ NATS_URL: servers }).natsUrl).toBe(servers);
    for (const wrong of ['nats://one,two:4222', 'http://one', 'nats://', 'one:4222'])
      expect(messageOf({ NATS_URL: wrong })).toBe(
        'Wrong setting: NATS_URL must be one or more URLs, between commas, that begin with nats:// or tls://',
      );
  });

  it.each<Record<string, string>>([{}, { NATS_URL: '' }])(
    'refuse usage from NATS where there is none: %j',
    (env) =>
      expect(messageOf({ ...env, NATS_USAGE: 'true' })).toBe(
        'Wrong setting: NATS_USAGE is true and needs NATS_URL, which is not set',
      ),
  );

  it('say of usage from NATS only once that its servers are wrong', () =>
    expect(messageOf({ NATS_USAGE: 'true', NATS_URL: 'one:4222' })).toMatch(
      /^Wrong setting: NATS_URL [^;]+$/,
    ));

  it('take a mail server with a sender, and neither an unreadable one nor one without a sender', () => {
    const MAIL_URL = 'smtp://billing:hunter2@mail.example.com:587';
    for (const MAIL_FROM of ['billing@example.com', 'Acme Billing <billing@example.com>'])
      expect(loadSettings({ MAIL_URL, MAIL_FROM })).toMatchObject({ mailUrl: MAIL_URL, mailFrom: MAIL_FROM });
    expect(messageOf({ MAIL_URL })).toBe(
      'Wrong setting: MAIL_URL is set and needs MAIL_FROM, which is not set',
    );
    for (const wrong of [
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      `${MAIL_URL}?secure=false`,
    ])
      expect(messageOf({ MAIL_URL: wrong, MAIL_FROM: 'billing@example.com' })).toBe(
        'Wrong setting: MAIL_URL must be a URL that begins with smtp:// or smtps://, with a host, such as smtp://mail.example.com:587',
      );
    for (const wrong of ['Acme', 'Acme <billing>', 'a@b.example\nBcc: c@d.example', '<a@b.example> c'])
      expect(messageOf({ MAIL_URL, MAIL_FROM: wrong })).toBe(
        `Wrong setting: MAIL_FROM is "${wrong}" but must be an e-mail address, or a name and an address in angle brackets`,
      );
  });

  describe('that are secrets', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-settings-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const fileWith = (text: string): string => {
      const file = join(folder, `secret-${text.length}`);
      writeFileSync(file, text);
      return file;
    };
    const secret = '0123456789abcdef0123456789abcdef';

    it('can come from files, whose last line break does not count', () => {
      for (const text of [secret, `${secret}\n`, `${secret}\r\n`])
        expect(loadSettings({ JWT_SECRET_FILE: fileWith(text), JWT_SECRET: '' }).jwtSecret).toBe(secret);
      const files = { NATS_URL_FILE: fileWith('nats://one:4222'), NATS_USAGE: 'true' };
      expect(loadSettings(files)).toMatchObject({ natsUrl: 'nats://one:4222', natsUsage: true });
    });

    it('are refused if a file is missing, if a setting comes twice, or if the file has a wrong value', () => {
      const missing = join(folder, 'missing');
      expect(messageOf({ JWT_SECRET_FILE: missing })).toBe(
        `Wrong setting: JWT_SECRET_FILE is "${missing}", which cannot be read (ENOENT)`,
      );
      expect(messageOf({ JWT_SECRET_FILE: fileWith(secret), JWT_SECRET: secret })).toBe(
        'Wrong setting: JWT_SECRET and JWT_SECRET_FILE are both set; set one of them',
      );
      expect(messageOf({ DATABASE_URL_FILE: fileWith('mysql://user:hunter2@db/x') })).toBe(
        'Wrong setting: DATABASE_URL must be a URL that begins with postgres:// or postgresql://',
      );
    });

    it('are taken from their variables alone if they are none', () =>
      expect(loadSettings({ PORT_FILE: fileWith('1') }).port).toBe(3000));

    it('are not taken from a file by a program that is given another value', () => {
      const env = { JWT_SECRET_FILE: join(folder, 'missing'), ...withoutFilesOf({ JWT_SECRET: secret }) };
      expect(loadSettings({ ...env, JWT_SECRET: secret }).jwtSecret).toBe(secret);
    });

    it('can be replaced, while the former one is still read', () => {
      const former = [...secret].reverse().join('');
      expect(requireSecrets(loadSettings({ JWT_SECRET: secret }))).toEqual([secret]);
      expect(requireSecrets(loadSettings({ JWT_SECRET: secret, JWT_SECRET_FORMER: former }))).toEqual([
        secret,
        former,
      ]);
      expect(() => requireSecrets(loadSettings({ JWT_SECRET_FORMER: former }))).toThrow(
        /^Missing setting: JWT_SECRET \(/,
      );
    });
  });

  it('are asked for by name where a process cannot do without', () => {
    expect(() => requireSetting(loadSettings({}), 'databaseUrl')).toThrow(
      /^Missing setting: DATABASE_URL \(/,
    );
    expect(requireSetting(loadSettings({ PORT: '1' }), 'port')).toBe(1);
  });
});
