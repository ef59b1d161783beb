# For the scripts of this folder, which read it with their own arguments: --help prints the comment at their head.
case ${1:-} in
  --help | -h)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${BASH_SOURCE[1]##*/}"
    exit
    ;;
esac
