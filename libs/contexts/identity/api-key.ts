import type { Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { apiKeyEvents, type ApiKeyEvent } from './events.js';
import type { Permission, Role } from '#libs/manifest';

/** The recorded data of an API key. The key itself is not recorded in events, because it is a credential. */
export interface ApiKeyRecord {
  apiKeyId: string;
  name: string;
  role: Role;
  /** The only permissions of the key, out of those of its role. Absent if the key has all permissions of its role. */
  permissions?: readonly Permission[];
  /** Absent if the key does not expire. */
  expiresAt?: Instant;
  /** The id of the key that replaced this one. Absent if no key replaced it. */
  replacedBy?: string;
  createdAt: Instant;
  revoked: boolean;
}

/** The data of a new API key. */
export type ApiKeyDetails = Extract<ApiKeyEvent, { type: 'ApiKeyCreated' }>['data'];

export type ApiKeyCommand =
  | ({ type: 'CreateApiKey' } & ApiKeyDetails)
  | { type: 'RotateApiKey'; apiKeyId: string; replacedBy: string; expiresAt: Instant }
  | { type: 'RevokeApiKey'; apiKeyId: string };

export const apiKeyDecider = defineDecider<ApiKeyRecord, ApiKeyCommand, ApiKeyEvent>({
  category: 'apiKey',
  events: apiKeyEvents,
  decide(command, apiKey) {
    switch (command.type) {
      case 'CreateApiKey': {
        const { type: _, ...details } = command;
        return apiKey ? [] : [{ type: 'ApiKeyCreated', data: details }];
      }
      case 'RotateApiKey': {
        const { type: _, ...rotation } = command;
        if (!apiKey || apiKey.revoked || apiKey.replacedBy !== undefined) return [];
        return [{ type: 'ApiKeyRotated', data: rotation }];
      }
      case 'RevokeApiKey':
        if (!apiKey || apiKey.revoked) return [];
        return [{ type: 'ApiKeyRevoked', data: { apiKeyId: command.apiKeyId } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { at: createdAt, ...details } = event.data;
        return { ...details, createdAt, revoked: false };
      }
      case 'ApiKeyRotated': {
        const { replacedBy, expiresAt } = event.data;
        return { ...requireCreated(state, event), replacedBy, expiresAt };
      }
      case 'ApiKeyRevoked':
        return { ...requireCreated(state, event), revoked: true };
    }
  },
});
