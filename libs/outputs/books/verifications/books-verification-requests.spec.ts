import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { BooksVerificationEvent } from '../events.js';
import { booksVerificationDecider } from './books-verification-requests.js';

const { given } = decide(booksVerificationDecider);
const requested: BooksVerificationEvent = {
  type: 'BooksVerificationRequested',
  data: { verificationId: 'bvr_1', at: '2026-01-01T00:00:00.000Z' },
};

describe('the record of a requested verification of the books', () => {
  it('is made once', () => {
    const command = { type: 'RequestBooksVerification', ...requested.data } as const;
    given().when(command).then(requested);
    given(requested).when(command).then();
  });
});
