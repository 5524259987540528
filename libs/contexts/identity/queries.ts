import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NotFound, type ListOrder, type ListPart } from '#libs/kernel/core';
import { ApiKey } from './entities/api-key.entity.js';
import { User } from './entities/user.entity.js';

/** Reads users and API keys in their present state. Their tables are the source of truth, so they have no read model. */
@Injectable()
export class IdentityQueries {
  readonly keyOrder: ListOrder<ApiKey> = {
    list: 'api_keys',
    parts: ['instant', 'text'],
    keyOf: ({ createdAt, id }) => [createdAt, id],
  };

  constructor(private readonly dataSource: DataSource) {}

  /** Returns a user of the workspace. Throws NotFound if there is none. */
  async user(workspaceId: string, id: string): Promise<User> {
    const user = await this.dataSource.manager.findOneBy(User, { workspaceId, id });
    if (!user) throw NotFound.of('user', id);
    return user;
  }

  /** A page of the workspace's API keys, oldest first, without revoked keys. */
  async apiKeys(workspaceId: string, { limit, offset, after }: ListPart): Promise<ApiKey[]> {
    const query = this.dataSource.manager
      .createQueryBuilder(ApiKey, 'key')
      .where('key.workspaceId = :workspaceId AND key.revokedAt IS NULL', { workspaceId });
    if (after) query.andWhere('(key.createdAt, key.id) > (:at, :id)', { at: after[0], id: after[1] });
    return query.orderBy('key.createdAt').addOrderBy('key.id').limit(limit).offset(offset).getMany();
  }
}
