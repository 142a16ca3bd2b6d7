package sound
import ("testing";"os";"path/filepath";"math";"encoding/binary";"fmt";"os/exec")
func TestDev2(t *testing.T){
 fs,_:=filepath.Glob(os.Getenv("DEVDIR"))
 for _,f:=range fs {
  b,_:=os.ReadFile(f); rec,err:=Decode(b,nil)
  if err!=nil {fmt.Println(filepath.Base(f),"ERR",err);continue}
  ch,_:=exec.Command("ffprobe","-v","error","-show_entries","stream=channels","-of","csv=p=0",f).Output()
  af:="aformat=sample_fmts=fltp"
  if ch[0]=='2' {af+=",pan=mono|c0=0.5*c0+0.5*c1"}
  g,_:=exec.Command("ffmpeg","-v","error","-i",f,"-af",af,"-f","f32le","-").Output()
  var ref []float64
  for i:=0;i+4<=len(g);i+=4{ref=append(ref,float64(math.Float32frombits(binary.LittleEndian.Uint32(g[i:]))))}
  var p,d,mx float64
  for i:=range min(len(ref),len(rec.Samples)){e:=ref[i]-float64(rec.Samples[i]);d+=e*e;p+=ref[i]*ref[i];mx=max(mx,math.Abs(e))}
  fmt.Printf("%-20s rate %d n %d ref %d SNR %.1f max %.2e\n",filepath.Base(f),rec.Rate,len(rec.Samples),len(ref),10*math.Log10(p/d),mx)
 }
}
