import type { MigrationInterface, QueryRunner } from 'typeorm';
import { canonicalEmail } from '#libs/kernel/core';

/**
 * Converts the domains of stored addresses to ASCII, the form in which addresses are compared from now on. If two users have one address in
 * two forms, the one whose address is in ASCII already, or else the older one, gets it. The address of the other one stays as it is.
 */
export class EmailDomains1700000006910 implements MigrationInterface {
  name = 'EmailDomains1700000006910';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, owner] of [
      ['users', ''],
      [
        'invitations',
        "AND n.workspace_id = t.workspace_id AND n.status = 'pending' AND t.status = 'pending'",
      ],
    ]) {
      const rows = (await runner.query(
        `SELECT id, email FROM identity.${table} WHERE email ~ '[^\\x01-\\x7f]' ORDER BY created_at, id`,
      )) as { id: string; email: string }[];
      for (const { id, email } of rows)
        await runner.query(
          `UPDATE identity.${table} t SET email = $2
           WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM identity.${table} n WHERE n.email = $2 AND n.id <> $1 ${owner})`,
          [id, canonicalEmail(email)],
        );
    }
  }

  /** Does nothing, because nobody knows any more in which form an address was stored. */
  async down(): Promise<void> {}
}
