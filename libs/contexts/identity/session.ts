import { defineDecider, requireCreated } from '#libs/kernel/domain';
import { sessionEvents, type SessionEvent, type SignInMethod } from './events.js';

/** One sign-in and its end. Every session has a separate stream, so streams stay short. */
export interface SessionRecord {
  sessionId: string;
  userId: string;
  ended: boolean;
}

export type SessionCommand =
  | { type: 'StartSession'; sessionId: string; userId: string; method: SignInMethod }
  | { type: 'EndSession'; sessionId: string; userId: string; reason: EndReason };

/**
 * The reasons for the end of a session. `signed_out`: the user signed out. `refresh_token_reused`: a refresh token was used that had been
 * exchanged before.
 */
export type EndReason = 'signed_out' | 'refresh_token_reused';

const ENDING = { signed_out: 'UserSignedOut', refresh_token_reused: 'RefreshTokenReused' } as const;

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
        return [{ type: ENDING[command.reason], data: { sessionId, userId } }];
    }
  },
  evolve(state, event) {
    switch (event.type) {
      case 'UserSignedIn':
        return { sessionId: event.data.sessionId, userId: event.data.userId, ended: false };
      case 'UserSignedOut':
      case 'RefreshTokenReused':
        return { ...requireCreated(state, event), ended: true };
    }
  },
});
