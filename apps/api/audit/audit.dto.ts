import { ApiProperty } from '@nestjs/swagger';
import {
  ByteOrderMarkField,
  FormatField,
  InstantField,
  IntegerField,
  ListView,
  PageQuery,
  TextField,
} from '../http/index.js';

/** The largest number of entries in one JSON response of the audit trail. */
export const MAX_JSON_ENTRIES = 1_000;
/** The largest number of entries in one CSV response of the audit trail. */
const MAX_CSV = 10_000;

export class AuditQuery extends PageQuery {
  @TextField({
    max: 128,
    optional: true,
    description:
      'Selects an action. With `*` at the end, selects all actions that begin with the text before the `*`.',
    example: 'customer.*',
  })
  action?: string;

  @TextField({
    max: 128,
    optional: true,
    example: 'invoice',
    description: 'Selects entries about resources of this type.',
  })
  resourceType?: string;

  @TextField({
    max: 256,
    optional: true,
    example: 'cust_northwind',
    description: 'Selects entries about the resource with this id.',
  })
  resourceId?: string;

  @InstantField({ query: true, optional: true, description: 'The first moment of the time range.' })
  since?: string;

  @InstantField({
    query: true,
    optional: true,
    notBefore: 'since',
    description: 'The last moment of the time range.',
  })
  until?: string;

  @IntegerField({
    min: 1,
    max: MAX_CSV,
    query: true,
    optional: true,
    description: `The largest number of entries in the response: up to ${MAX_JSON_ENTRIES} as JSON, ${MAX_CSV} as CSV.`,
  })
  override limit: number = 50;

  @FormatField()
  format: 'json' | 'csv' = 'json';

  @ByteOrderMarkField()
  bom: boolean = false;
}

class ActorView {
  @ApiProperty({ enum: ['user', 'api_key', 'system', 'customer'] }) type:
    'user' | 'api_key' | 'system' | 'customer';
  @ApiProperty({
    description: 'The id of the user, API key or customer, or the name of the process.',
    example: 'usr_01JD0000000000000000000000',
  })
  id: string;
}

export class AuditEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({ example: 'customer.created', description: 'The action.' }) action: string;
  @ApiProperty({ example: 'customer', description: 'The type of the resource that was changed.' })
  resourceType: string;
  @ApiProperty({ example: 'cust_northwind', description: 'The id of the resource.' }) resourceId: string;
  @ApiProperty({ type: ActorView, description: 'The user, API key, customer or process that acted.' })
  actor: ActorView;
  @ApiProperty({ format: 'date-time', description: "The time of the action, by the workspace's clock." })
  createdAt: string;
  @ApiProperty({
    description: 'The id of the request that caused the action, directly or through other steps.',
    example: '01JD0000000000000000000000',
  })
  requestId: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Details of the action.',
    example: { name: 'Northwind Ltd' },
  })
  data: object;
  @ApiProperty({
    description:
      'The SHA-256 hash over the stored events of this entry and of all entries before it. If `ledger verify` finds no difference, and ' +
      'the entry still has the hash that you saved earlier, none of these events was changed since then.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  hash: string;
}

export class AuditList extends ListView {
  @ApiProperty({ type: [AuditEntryView] }) data: AuditEntryView[];
}
