import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, InstantField, IntegerField, ListView, PageQuery, TextField } from '../http/index.js';

export const MAX_JSON = 1_000;
const MAX_CSV = 10_000;

export class AuditQuery extends PageQuery {
  @TextField({
    max: 128,
    optional: true,
    description: 'An action, or the beginning of some with `*` at its end.',
    example: 'customer.*',
  })
  action?: string;

  @TextField({
    max: 128,
    optional: true,
    example: 'invoice',
    description: 'Only what was done to things of this kind.',
  })
  resourceType?: string;

  @TextField({
    max: 256,
    optional: true,
    example: 'cust_northwind',
    description: 'Only what was done to the thing with this id.',
  })
  resourceId?: string;

  @InstantField({ query: true, optional: true, description: 'The first moment that counts.' })
  since?: string;

  @InstantField({
    query: true,
    optional: true,
    notBefore: 'since',
    description: 'The last moment that counts.',
  })
  until?: string;

  @IntegerField({
    min: 1,
    max: MAX_CSV,
    query: true,
    optional: true,
    description: `Most entries in the answer: up to ${MAX_JSON} as JSON, ${MAX_CSV} as CSV.`,
  })
  override limit: number = 50;

  @ChoiceField(['json', 'csv'], { optional: true, description: '`csv` downloads a file.' })
  format: 'json' | 'csv' = 'json';
}

class ActorView {
  @ApiProperty({ enum: ['user', 'api_key', 'system', 'customer'] }) type: string;
  @ApiProperty({
    description: 'Of the user or API key, or the name of the process.',
    example: 'usr_01JD0000000000000000000000',
  })
  id: string;
}

class AuditEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({ example: 'customer.created', description: 'What was done.' }) action: string;
  @ApiProperty({ example: 'customer', description: 'The kind of the thing that it was done to.' })
  resourceType: string;
  @ApiProperty({ example: 'cust_northwind', description: 'The id of the thing.' }) resourceId: string;
  @ApiProperty({ type: ActorView, description: 'Who did it.' }) actor: ActorView;
  @ApiProperty({ format: 'date-time', description: "By the workspace's clock." }) createdAt: string;
  @ApiProperty({
    description: 'The request that led to it, through however many steps.',
    example: '01JD0000000000000000000000',
  })
  requestId: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What is worth knowing of it.',
    example: { name: 'Northwind Ltd' },
  })
  data: object;
  @ApiProperty({
    description:
      'SHA-256 over this entry and every one before it: as long as it is the same, none of them was changed.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  hash: string;
}

export class AuditList extends ListView {
  @ApiProperty({ type: [AuditEntryView] }) data: AuditEntryView[];
}
