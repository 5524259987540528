import { defineDecider, requireCreated } from '#libs/kernel/domain';
import {
  sessionEvents,
  type SessionRevocationReason,
  type SessionEvent,
  type SignInMethod,
} from './events.js';

/** One sign-in and its end. Every session has its own event stream, so the streams stay short. */
export interface SessionRecord {
  sessionId: string;
  userId: string;
  ended: boolean;
}

export type SessionCommand =
  | { type: 'StartSession'; sessionId: string; userId: string; method: SignInMethod }
  | { type: 'EndSession'; sessionId: string; userId: string; reason: SessionEndReason };

/**
 * The reasons for the end of a session. `signed_out`: the user signed out. `refresh_token_reused`: somebody used a refresh token that had
 * already been exchanged. All reasons except `refresh_token_reused` and a sign-out mean that the session was revoked.
 */
export type SessionEndReason = 'signed_out' | 'refresh_token_reused' | SessionRevocationReason;

export const sessionDecider = defineDecider<SessionRecord, SessionCommand, SessionEvent>({
  category: 'session',
  events: sessionEvents,
  decide(command, session) {
    const { sessionId, userId } = command;
    switch (command.type) {
      case 'StartSession':
        if (session) return [];
        return [{ type: 'UserSignedIn', data: { sessionId, userId, method: command.method } }];
      case 'EndSession':
        if (!session || session.ended) return [];
        return [ending(sessionId, userId, command.reason)];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'UserSignedIn':
        return { sessionId: event.data.sessionId, userId: event.data.userId, ended: false };
      case 'UserSignedOut':
      case 'RefreshTokenReused':
      case 'SessionRevoked':
        return { ...requireCreated(state, event), ended: true };
    }
  },
});

function ending(sessionId: string, userId: string, reason: SessionEndReason): SessionEvent {
  const ids = { sessionId, userId };
  switch (reason) {
    case 'signed_out':
      return { type: 'UserSignedOut', data: ids };
    case 'refresh_token_reused':
      return { type: 'RefreshTokenReused', data: ids };
    case 'revoked':
    case 'user_deactivated':
    case 'password_reset':
    case 'sso_required':
      return { type: 'SessionRevoked', data: { ...ids, reason } };
  }
}
