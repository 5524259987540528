import type { Instant } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { apiKeyEvents, type ApiKeyEvent } from './events.js';
import type { Role } from '#libs/manifest';

/** The recorded data of an API key. The key itself is a credential, so it is not recorded. */
export interface ApiKeyRecord {
  apiKeyId: string;
  name: string;
  role: Role;
  createdAt: Instant;
  revoked: boolean;
}

export type ApiKeyCommand =
  | { type: 'CreateApiKey'; apiKeyId: string; name: string; role: Role; at: Instant }
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
      case 'ApiKeyRevoked':
        return { ...requireCreated(state, event), revoked: true };
    }
  },
});
