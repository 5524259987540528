import { defineDecider } from '#libs/kernel/domain';
import { booksVerificationEvents, type BooksVerificationEvent } from '../events.js';

/** A verification of the books that was requested. */
export interface RequestedBooksVerification {
  verificationId: string;
}

export type BooksVerificationCommand = {
  type: 'RequestBooksVerification';
} & BooksVerificationEvent['data'];

/** Records who requested a verification of the books. The metadata of the event contains the actor. Each verification has its own stream. */
export const booksVerificationDecider = defineDecider<
  RequestedBooksVerification,
  BooksVerificationCommand,
  BooksVerificationEvent
>({
  category: 'booksVerification',
  events: booksVerificationEvents,
  decide({ verificationId, at }, requested) {
    if (requested !== undefined) return [];
    return [{ type: 'BooksVerificationRequested', data: { verificationId, at } }];
  },
  evolve(_state, { data: { verificationId } }) {
    return { verificationId };
  },
});
