import type { EntityManager } from 'typeorm';
import { User } from '../entities/user.entity.js';

/** Stores a new user. Returns false if the address is taken. */
export async function insertUser(manager: EntityManager, user: User): Promise<boolean> {
  // This avoids the constraint's error, because Postgres would write that error, with the e-mail address, to its log.
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
