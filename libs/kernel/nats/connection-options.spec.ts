import { describe, expect, it } from '@jest/globals';
import { SettingsError } from '#libs/kernel/system';
import { connectionOptions } from './connection-options.js';

const of = (url: string, natsCredentials?: string) => connectionOptions({ natsCredentials }, url, 'test');

describe('a connection to NATS', () => {
  it('is to any of the servers, without TLS unless a URL asks for it', () => {
    expect(of('nats://one:4222,nats://two:4223')).toMatchObject({ servers: ['one:4222', 'two:4223'] });
    expect(of('nats://one:4222')).not.toHaveProperty('tls');
    expect(of('tls://one:4222')).toMatchObject({ tls: {} });
  });

  it('sends the user and password of the URL, or its token', () => {
    expect(of('nats://billing:p%40ss@one')).toMatchObject({ user: 'billing', pass: 'p@ss' });
    expect(of('nats://s3cret@one')).toMatchObject({ token: 's3cret' });
    expect(of('nats://one')).not.toHaveProperty('token');
  });

  it('needs a file of credentials that can be read', () => {
    expect(() => of('nats://one', '/no/such/file')).toThrow(
      new SettingsError(
        'Wrong setting: NATS_CREDENTIALS is "/no/such/file" but must be a file that can be read (ENOENT)',
      ),
    );
  });
});
