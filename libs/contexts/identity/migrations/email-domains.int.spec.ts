import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createDataSource } from '#libs/kernel/postgres';
import { createDatabase, type TestDatabase } from '../../../../test/support/index.js';
import { EmailDomains1700000006910 } from './1700000006910-email-domains.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

it('converts the domains of stored addresses, and leaves the one whose address is taken', async () => {
  const source = createDataSource({ url: database.url, poolSize: 2, applicationName: 'test' });
  await source.initialize();
  const runner = source.createQueryRunner();
  await runner.query(`
    CREATE SCHEMA identity;
    CREATE TABLE identity.users (id text, email text UNIQUE, workspace_id text, role text, created_at timestamptz DEFAULT now());
    CREATE TABLE identity.invitations (id text, workspace_id text, status text, email text, created_at timestamptz DEFAULT now());
    INSERT INTO identity.users VALUES ('1', 'ada@münchen.example'), ('usr_2', 'eva@köln.example'), ('3', 'eva@xn--kln-sna.example'),
      ('4', 'josé@example.com');
    INSERT INTO identity.invitations VALUES ('1', 'w', 'pending', 'ada@münchen.example'), ('2', 'w', 'accepted', 'ada@münchen.example');`);
  await new EmailDomains1700000006910().up(runner);
  const emails = async (table: string) =>
    ((await runner.query(`SELECT email FROM identity.${table} ORDER BY email`)) as { email: string }[]).map(
      ({ email }) => email,
    );
  expect(await emails('users')).toEqual([
    'ada@xn--mnchen-3ya.example',
    'eva@köln.example',
    'eva@xn--kln-sna.example',
    'josé@example.com',
  ]);
  expect(await emails('invitations')).toEqual(['ada@xn--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example']);
  // What docs/upgrading.md says of the user whose address was taken.
  const docs = await readFile('docs/upgrading.md', 'utf8');
  const [find, give] = /```sql email-forms\n(.*?)```/s.exec(docs)![1]!.split(';\n');
  expect(await runner.query(find!)).toEqual([
    { id: 'usr_2', workspace_id: null, role: null, email: 'eva@köln.example' },
  ]);
  await runner.query(give!);
  expect(await runner.query(find!)).toEqual([]);
  expect(await emails('users')).toContain('ada.second@example.com');
  await runner.release();
  await source.destroy();
});
