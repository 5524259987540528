import { expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#libs/kernel/core';
import { AllCreditNotesQuery } from '../invoices/credit-note.dto.js';
import { inGivenNames, renameParameters } from './parameter-names.js';
import { createValidationPipe } from './validation.js';

/** What a request for credit notes is told about its parameters, by the names that it used. */
async function told(query: Record<string, string>): Promise<string[]> {
  const request = { query } as unknown as FastifyRequest;
  renameParameters(request, AllCreditNotesQuery);
  const answer = createValidationPipe().transform(request.query, {
    type: 'query',
    metatype: AllCreditNotesQuery,
  });
  const { message, details } = await answer.then(
    () => new InvalidRequest('none', ''),
    (error: InvalidRequest) => error,
  );
  const described = inGivenNames(request, { error: message, details });
  const texts = (described.details ?? []).map(({ field, message: text }) => `${field} ${text}`);
  if (texts.length > 0) expect(described.error).toBe(texts.join('; '));
  return texts;
}

it('says that the end of a range by its former name is not in the range', async () => {
  const day = '2026-01-01T00:00:00Z';
  expect(await told({ from: day, to: day })).toEqual([
    'to must not be before from, 2026-01-01T00:00:00.000Z; to itself does not count, so give a later time',
  ]);
  expect(await told({ since: day, until: day })).toEqual([]);
  expect(await told({ since: day, until: '2025-12-31' })).toEqual([
    'until must not be before since, 2026-01-01T00:00:00.000Z',
  ]);
  expect(await told({ from: 'then' })).toEqual([expect.stringMatching(/^from must be a date/)]);
});
