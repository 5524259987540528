import pg from 'pg';
import { DEMO_EMAIL_DOMAIN } from './demo-data.js';

/** Tells whether a database has users. Users that demos have registered can be left out. */
export async function hasUsers(
  databaseUrl: string,
  { exceptOfDemos }: { exceptOfDemos: boolean },
): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'countinghouse start' });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      'SELECT FROM identity.users WHERE NOT ($1 AND email LIKE $2) LIMIT 1',
      [exceptOfDemos, `demo-%@${DEMO_EMAIL_DOMAIN}`],
    );
    return rowCount !== 0;
  } finally {
    await client.end();
  }
}
