import { ApiProperty } from '@nestjs/swagger';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#libs/contexts/identity';
import { EmailField, LineField, TextField } from '../http/index.js';
import { UserView } from '../users/user.dto.js';

export class RegisterBody {
  @EmailField({ example: 'ada@example.com', description: 'The address to sign in with.' })
  email: string;

  @TextField({
    min: MIN_PASSWORD_LENGTH,
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    description:
      'Kept as an argon2id hash. The most common passwords, nothing but spaces and the e-mail address are refused.',
    example: 'correct horse battery staple',
  })
  password: string;

  @LineField({ max: 200, example: 'Ada Lovelace', description: 'The name of the user.' })
  name: string;

  @LineField({
    max: 200,
    optional: true,
    description: 'Name of the workspace.',
    example: 'Analytical Engines Ltd',
  })
  companyName?: string;
}

export class LoginBody {
  @EmailField({ example: 'ada@example.com', description: 'The address that was registered.' })
  email: string;

  @TextField({
    max: MAX_PASSWORD_LENGTH,
    blank: true,
    example: 'correct horse battery staple',
    description: 'As it was registered.',
  })
  password: string;
}

const refreshToken = { max: 512, description: 'From the answer to register, login or refresh.' };

export class RefreshBody {
  @TextField(refreshToken)
  refreshToken: string;
}

export class LogoutBody {
  @TextField({ ...refreshToken, optional: true })
  refreshToken?: string;
}

export class TokensView {
  @ApiProperty({
    description: 'Send it as `Authorization: Bearer <accessToken>`.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
  })
  accessToken: string;
  @ApiProperty({ description: 'Good for one exchange at `POST /v1/auth/refresh`.' }) refreshToken: string;
  @ApiProperty({ description: 'Seconds that the access token lasts.', example: 900, type: 'integer' })
  expiresIn: number;
}

export class SignedInView {
  @ApiProperty({ description: 'Who signed in.' }) user: UserView;
  @ApiProperty({ description: 'The tokens of the session.' }) tokens: TokensView;
}

/** The new tokens, in the form that login gives them; both old ones are to be forgotten. */
export class RefreshedView {
  @ApiProperty({ description: 'The new tokens.' }) tokens: TokensView;
}
