import { defineDecider, existing } from '#libs/kernel/domain';
import { sessionEvents, type SessionEvent, type SignInMethod } from './events.js';

/** One sign-in and what became of it. Every session has a stream of its own, so streams stay short. */
export interface SessionRecord {
  sessionId: string;
  userId: string;
  ended: boolean;
}

export type SessionCommand =
  | { type: 'StartSession'; sessionId: string; userId: string; method: SignInMethod }
  | { type: 'EndSession'; sessionId: string; userId: string; reason: EndReason };

/** Why a session ended: the user left, or somebody used a refresh token that had been exchanged before. */
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
        return { ...existing(state, event), ended: true };
    }
  },
});
