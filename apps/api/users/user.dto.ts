import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';

export class UserView {
  @ApiProperty({ example: 'usr_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B', description: 'The id of the user.' }) id: string;
  @ApiProperty({
    format: 'email',
    description: 'The e-mail address that the user signs in with.',
    example: 'ada@example.com',
  })
  email: string;
  @ApiProperty({ description: 'The name of the user.', example: 'Ada Lovelace' }) name: string;
  @ApiProperty({ description: 'The id of the workspace.', example: 'acc_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' })
  accountId: string;
  @ApiProperty({ enum: ROLES }) role: Role;
  @ApiProperty({ enum: ['active', 'disabled'], description: 'Whether the user can sign in.' }) status:
    'active' | 'disabled';
}
