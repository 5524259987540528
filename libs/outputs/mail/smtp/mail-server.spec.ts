import { expect, it } from '@jest/globals';
import { readMailServer } from './mail-server.js';

it.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, secure: true, requireTLS: false }],
  ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTLS: false }],
  [
    'smtp://me%40example.com:p%3Aw@mail.example.com:2525',
    {
      host: 'mail.example.com',
      port: 2525,
      secure: false,
      requireTLS: true,
      auth: { user: 'me@example.com', pass: 'p:w' },
    },
  ],
  [
    'smtp://me:pw@127.0.0.1',
    { host: '127.0.0.1', port: 587, secure: false, requireTLS: false, auth: { user: 'me', pass: 'pw' } },
  ],
])('reads %s', (url, server) => {
  expect(readMailServer(url)).toEqual(server);
});
