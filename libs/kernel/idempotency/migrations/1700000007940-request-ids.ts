import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * request_ids: digests of the ids that the request named, for finding answers about a person. Null in rows of earlier versions. Those rows
 * also have their idempotency key as a text. New rows have a digest of it.
 */
export class RequestIds1700000007940 implements MigrationInterface {
  name = 'RequestIds1700000007940';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers ADD COLUMN request_ids bytea[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency.answers DROP COLUMN request_ids');
  }
}
