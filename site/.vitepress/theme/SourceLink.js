// Where the source is: the address in package.json of the library, which the workflow of a release writes there.
// @ts-check
import { useData } from 'vitepress'
import { h } from 'vue'

/** A sentence with the address of the repository, or with what prints it. */
export default function SourceLink() {
  const link = useData().theme.value.socialLinks?.[0]?.link
  return link
    ? h('span', [
        'A clone is a copy of ',
        h('a', { href: link }, 'the repository'),
        ': ',
        h('code', `git clone ${link}`),
        '.',
      ])
    : h('span', [
        'A clone is a copy of the repository, made by ',
        h('code', 'git clone'),
        ' with its address. This site was built without that address; once the packages are published, ',
        h('code', 'npm view lacuna repository.url'),
        ' prints it.',
      ])
}
