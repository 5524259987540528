import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import {
  ChoiceField,
  InstantField,
  IntegerField,
  ListView,
  PermissionListField,
  SingleLineField,
} from '../http/index.js';

/** The number of seconds for which a rotated key is accepted by default: a day. */
export const DEFAULT_OVERLAP_SECONDS = 86_400;
/** The maximum number of seconds for which a rotated key can be accepted: 30 days. */
const MAX_OVERLAP_SECONDS = 30 * 86_400;

export class CreateApiKeyBody {
  @SingleLineField({ max: 100, description: 'What the key is for.', example: 'usage collector' })
  name: string;

  @ChoiceField(ROLES, {
    description:
      'The role of the key. The key cannot have a permission that you do not have. You can give a role with more permissions than your own ' +
      'only if `permissions` restricts the key to yours.',
    example: 'ingest',
  })
  role: Role;

  @PermissionListField({
    optional: true,
    description:
      'Restricts the key to these permissions of its role. Each endpoint says which permission it needs. Without this field, the key ' +
      'has all permissions of its role.',
    example: ['usage:write'],
  })
  permissions?: string[];

  @InstantField({
    optional: true,
    description:
      'The time from which the key is refused, by the real clock and not by the clock of a sandbox. Without this field, the key does ' +
      'not expire. A key that expires can create only keys that expire at the same time or earlier.',
    example: '2099-01-31T00:00:00Z',
  })
  expiresAt?: string;
}

export class RotateApiKeyBody {
  @IntegerField({
    min: 0,
    max: MAX_OVERLAP_SECONDS,
    optional: true,
    description:
      'The time for which the old key is still accepted, in seconds. If the old key expires earlier, the key is refused from its expiry. ' +
      `The default is ${DEFAULT_OVERLAP_SECONDS}.`,
    example: 3600,
  })
  overlapSeconds?: number;

  @InstantField({
    optional: true,
    description:
      'The expiry of the new key. Without this field, the new key does not expire, even if the old key does. If your own API key ' +
      'expires, you must send an expiry that is not later (`expiry_exceeds_own`).',
    example: '2099-01-31T00:00:00Z',
  })
  expiresAt?: string;
}

export class ApiKeyView {
  @ApiProperty({ example: 'key_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' }) id: string;
  @ApiProperty({ description: 'What the key is for.', example: 'usage collector' }) name: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'The permissions to which the key is restricted. Null if the key has all permissions of its role.',
    example: ['usage:write'],
  })
  permissions: string[] | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time from which the key is refused. Null if the key does not expire.',
  })
  expiresAt: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the key that replaced this key. Null if this key was not replaced.',
    example: null,
  })
  replacedBy: string | null;
  @ApiProperty({ description: 'The last four characters of the key.', example: 'x7Qa' }) last4: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the last use of the key, to the minute. Null if the key was never used.',
  })
  lastUsedAt: string | null;
}

export class NewApiKeyView extends ApiKeyView {
  @ApiProperty({
    description:
      'The key itself. The key is shown again only if the request is repeated with the same `Idempotency-Key`. The response is kept ' +
      'for `IDEMPOTENCY_RETENTION_DAYS` (30 by default). A later repetition is refused (`api_key_exists`).',
    example: 'svc_…',
  })
  key: string;
}

export class ApiKeyList extends ListView {
  @ApiProperty({ type: [ApiKeyView] }) data: ApiKeyView[];
}
