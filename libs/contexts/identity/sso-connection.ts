import { omit } from '#libs/kernel/core';
import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { ssoConnectionEvents, type SsoConnectionEvent, type SsoConnectionTerms } from './events.js';

/**
 * The recorded data of a connection for single sign-on. The client secret of a connection is not recorded in events, because it is a
 * credential.
 */
export interface SsoConnectionRecord {
  connectionId: string;
  terms: SsoConnectionTerms;
  deleted: boolean;
}

export type SsoConnectionCommand =
  | { type: 'CreateSsoConnection'; connectionId: string; terms: SsoConnectionTerms }
  | { type: 'ChangeSsoConnection'; connectionId: string; terms: SsoConnectionTerms; secretReplaced: boolean }
  | { type: 'VerifySsoDomain'; connectionId: string; domain: string }
  | { type: 'DeleteSsoConnection'; connectionId: string };

export const ssoConnectionDecider = defineDecider<
  SsoConnectionRecord,
  SsoConnectionCommand,
  SsoConnectionEvent
>({
  category: 'ssoConnection',
  events: ssoConnectionEvents,
  decide(command, connection) {
    const { connectionId } = command;
    if (command.type === 'CreateSsoConnection')
      return connection ? [] : [{ type: 'SsoConnectionCreated', data: { connectionId, ...command.terms } }];
    if (!connection || connection.deleted) return [];
    switch (command.type) {
      case 'ChangeSsoConnection': {
        const { terms, secretReplaced } = command;
        return [{ type: 'SsoConnectionChanged', data: { connectionId, ...terms, secretReplaced } }];
      }
      case 'VerifySsoDomain':
        return [{ type: 'SsoDomainVerified', data: { connectionId, domain: command.domain } }];
      case 'DeleteSsoConnection':
        return [{ type: 'SsoConnectionDeleted', data: { connectionId } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'SsoConnectionCreated': {
        const { connectionId, ...terms } = event.data;
        return { connectionId, terms, deleted: false };
      }
      case 'SsoConnectionChanged': {
        const terms = omit(event.data, ['connectionId', 'secretReplaced']);
        return { ...requireCreated(state, event), terms };
      }
      case 'SsoDomainVerified':
        return requireCreated(state, event);
      case 'SsoConnectionDeleted':
        return { ...requireCreated(state, event), deleted: true };
    }
  },
});
