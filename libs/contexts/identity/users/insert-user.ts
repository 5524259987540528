import type { EntityManager } from 'typeorm';
import { User } from '../entities/user.entity.js';

/** Stores a new user. Returns false if another user has the e-mail address. */
export async function insertUser(manager: EntityManager, user: User): Promise<boolean> {
  // `ON CONFLICT DO NOTHING` avoids the error of the unique constraint. Postgres would log that error with the e-mail address.
  const inserted = await manager
    .createQueryBuilder()
    .insert()
    .into(User)
    .values(user)
    .orIgnore()
    .returning('id')
    .execute();
  return (inserted.raw as unknown[]).length > 0;
}
