import type { PoolClient } from 'pg';
import type { EntityManager } from 'typeorm';

/** Returns the pg connection of a TypeORM transaction, for code that uses pg directly. */
export async function pgClientOf(manager: EntityManager): Promise<PoolClient> {
  return (await manager.queryRunner!.connect()) as PoolClient;
}
