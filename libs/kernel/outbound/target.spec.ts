import { describe, expect, it } from '@jest/globals';
import { targetProblem } from './target.js';

const strict = { allowsLoopback: false };
const sandbox = { allowsLoopback: true };

describe('targets of webhooks', () => {
  it.each([
    'https://hooks.example/in?token=1',
    'https://hooks.example:8443',
    'https://8.8.8.8/',
    'https://[2001:4860:4860::8888]/',
  ])('may be %s', (url) => {
    expect(targetProblem(url, strict)).toBeUndefined();
    expect(targetProblem(url, sandbox)).toBeUndefined();
  });

  it.each([
    'https://2130706433/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[fd00::1]/',
    'https://127.0.0.1./',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://hooks.localhost/',
  ])('may not be %s, in a sandbox either', (url) => {
    expect(targetProblem(url, strict)).toMatch(/private, local or reserved/);
    expect(targetProblem(url, sandbox)).toMatch(/private, local or reserved/);
  });

  it.each(['https://user:pw@hooks.example/', 'https://user@hooks.example/', 'https://:pw@hooks.example/'])(
    'may not carry credentials: %s',
    (url) => {
      expect(targetProblem(url, strict)).toMatch(/user name or password/);
    },
  );

  it.each([
    'http://hooks.example/',
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'hooks.example',
    '',
    'https://',
    'https://hooks.example/a b',
    ' https://hooks.example/',
    'https://hooks.example/\n',
    'https://hooks.exam\tple/',
    `https://hooks.example/${'a'.repeat(2_048)}`,
  ])('may not be %j', (url) => {
    expect(targetProblem(url, strict)).toMatch(/https:/);
    expect(targetProblem(url, sandbox)).toMatch(/https:/);
  });

  it.each([
    'http://127.0.0.1:4000/hook',
    'http://localhost:4000/',
    'http://[::1]:4000/',
    'http://127.1:4000/',
  ])('may be %s only where loopback is allowed', (url) => {
    expect(targetProblem(url, strict)).toMatch(/https:/);
    expect(targetProblem(url, sandbox)).toBeUndefined();
  });

  it.each(['http://10.0.0.1/', 'http://169.254.169.254/', 'http://0.0.0.0:4000/', 'http://hooks.example/'])(
    'may not be %s over http where loopback is allowed',
    (url) => {
      expect(targetProblem(url, sandbox)).toMatch(/only for this machine/);
    },
  );

  it.each([
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://[::1]:3000/',
    'http://127.1:80/',
    'http://localhost/',
  ])('may not be %s where that port is closed', (url) => {
    const rules = { ...sandbox, closedPorts: new Set([80, 3000]) };
    expect(targetProblem(url, rules)).toBe('must not point to a port of Countinghouse itself');
    expect(targetProblem('http://127.0.0.1:3001/', rules)).toBeUndefined();
  });
});
