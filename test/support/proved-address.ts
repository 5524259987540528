import { createPool, type TestDatabase } from './database.ts';

/** Sets whether the user of the address has proved to read mail there, as a link of a mail does. */
export async function setAddressProved(
  database: TestDatabase,
  email: string,
  isProved = true,
): Promise<void> {
  const pool = createPool(database);
  try {
    await pool.query(
      'UPDATE identity.users SET address_proved_at = CASE WHEN $2 THEN now() END WHERE email = $1',
      [email, isProved],
    );
  } finally {
    await pool.end();
  }
}
