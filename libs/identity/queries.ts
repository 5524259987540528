import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { NotFound } from '#libs/core';
import { ApiKey } from './entities/api-key.entity.js';
import { User } from './entities/user.entity.js';

/** Users and API keys as they are now. Their tables are what is true of them, so there is no read model beside. */
@Injectable()
export class IdentityQueries {
  constructor(private readonly dataSource: DataSource) {}

  /** A user of the workspace; NotFound if there is none. */
  async user(accountId: string, id: string): Promise<User> {
    const user = await this.dataSource.manager.findOneBy(User, { accountId, id });
    if (!user) throw NotFound.of('user', id);
    return user;
  }

  /** A page of the workspace's API keys that are not revoked, oldest first. */
  async apiKeys(accountId: string, page: { limit: number; offset: number }): Promise<ApiKey[]> {
    return this.dataSource.manager.find(ApiKey, {
      where: { accountId, revokedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
  }
}
