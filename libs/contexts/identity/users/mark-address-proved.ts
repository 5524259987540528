import { IsNull, type EntityManager } from 'typeorm';
import { systemClock } from '#libs/kernel/system';
import { User } from '../entities/user.entity.js';

/** Records that a user has proved to read mail at the address. The first time counts. */
export async function markAddressProved(manager: EntityManager, userId: string): Promise<void> {
  await manager.update(
    User,
    { id: userId, addressProvedAt: IsNull() },
    { addressProvedAt: systemClock.now() },
  );
}
