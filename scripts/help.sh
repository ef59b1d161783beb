# The scripts of this folder include this file. It prints the first comment of the script for --help.
case ${1:-} in
  --help | -h)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${BASH_SOURCE[1]##*/}"
    exit
    ;;
esac
