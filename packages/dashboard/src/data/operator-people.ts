import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import { useMutation } from '@tanstack/react-query'
import { client } from '../api.ts'
import { usePaged } from './paged.ts'

export function useOperatorPeople(search: string) {
  return usePaged<OperatorPerson>(['operator', 'people', search], (query) =>
    client.listPeople({ query: { ...query, ...(search === '' ? {} : { search }) } }),
    50,
    { keepShown: true },
  )
}

export function useResetPasswordOf() {
  return useMutation({
    mutationFn: (person: OperatorPerson['id']) => client.resetPasswordOf({ params: { person } }),
    // The answer holds the link: it is shown once and not kept.
    gcTime: 0,
  })
}
